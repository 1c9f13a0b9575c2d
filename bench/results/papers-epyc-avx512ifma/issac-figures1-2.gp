set terminal svg size 900,520 font 'sans-serif,13' background 'white'
set output "issac-figures1-2.svg"
set encoding utf8
set title "Small primes relative to the big prime, on one processor"
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
"p8, 16^2" 166 1.21471 54.6 0.875604 106 0.807694
"p8, 16^3" 8.84 0.88894 5.23 0.570363 6.9 0.540465
"p8, 16^4" 1.94 1.28251 1.16 0.576244 1.32 0.484792
"p8, 16^5" 1.47 1.3458 0.8 0.452799 0.88 0.410756
"p16, 32^2" 49.5 0.974414 25.2 0.719156 33.1 0.681712
"p16, 32^3" 3.09 1.05895 1.95 0.548652 2.29 0.535013
"p16, 32^4" 1.83 1.30391 1 0.441551 1.07 0.482267
EOD
plot $data using 2:xtic(1) linecolor rgb '#0072b2' title "Cooley-Tukey, published" fillstyle pattern 2, $data using 3:xtic(1) linecolor rgb '#d55e00' title "Cooley-Tukey", $data using 4:xtic(1) linecolor rgb '#009e73' title "tabulated powers, published" fillstyle pattern 2, $data using 5:xtic(1) linecolor rgb '#cc79a7' title "tabulated powers", $data using 6:xtic(1) linecolor rgb '#56b4e9' title "Stockham, published" fillstyle pattern 2, $data using 7:xtic(1) linecolor rgb '#e69f00' title "Stockham"
