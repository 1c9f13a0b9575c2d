set terminal svg size 900,520 font 'sans-serif,13' background 'white'
set output "issac-figures1-2.svg"
set encoding utf8
set title "Small primes relative to the big prime, on a device, batches"
set xlabel "prime, points"
set ylabel "small primes / big prime"
set datafile missing NaN
set key outside below
set grid ytics linecolor '#dddddd'
set offsets 0.5, 0.5, 0, 0
set format y '%g'
set logscale y
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.8
set boxwidth 0.9
set xtics noenhanced font ',10'
$data << EOD
"p8, 16^2" 166 0.622508 54.6 0.625557 106 1.18075
"p8, 16^3" 8.84 0.556199 5.23 0.545112 6.9 1.07322
"p8, 16^4" 1.94 0.514089 1.16 0.495612 1.32 1.04875
"p8, 16^5" 1.47 0.503015 0.8 0.460489 0.88 1.01487
"p16, 32^2" 49.5 0.671684 25.2 0.662553 33.1 1.20712
"p16, 32^3" 3.09 0.511171 1.95 0.497775 2.29 1.00043
"p16, 32^4" 1.83 0.498007 1 0.456613 1.07 0.97836
EOD
plot $data using 2:xtic(1) linecolor rgb '#0072b2' title "Cooley-Tukey, published" fillstyle pattern 2, $data using 3:xtic(1) linecolor rgb '#d55e00' title "Cooley-Tukey", $data using 4:xtic(1) linecolor rgb '#009e73' title "tabulated powers, published" fillstyle pattern 2, $data using 5:xtic(1) linecolor rgb '#cc79a7' title "tabulated powers", $data using 6:xtic(1) linecolor rgb '#56b4e9' title "Stockham, published" fillstyle pattern 2, $data using 7:xtic(1) linecolor rgb '#e69f00' title "Stockham"
