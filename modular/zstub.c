#include "gfpoly/zvec.h"
gfp_status gfp_zvec_gcd(gfp_zvec *g, const gfp_zvec *a, const gfp_zvec *b, const gfp_options *o){(void)g;(void)a;(void)b;(void)o;return GFP_ERR_UNAVAILABLE;}
