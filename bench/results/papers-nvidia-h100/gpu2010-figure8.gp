set terminal svg size 900,520 font 'sans-serif,13' background 'white'
set output "gpu2010-figure8.svg"
set encoding utf8
set title "Products: one processor by a device, transfers counted"
set xlabel "log2 of the number of terms"
set ylabel "times as fast"
set datafile missing NaN
set key outside below
set grid ytics linecolor '#dddddd'
set offsets 0.5, 0.5, 0, 0
set format y '%g'
set logscale y
$data << EOD
11 0.0433865 0.337257
13 0.201543 1.18509
15 0.691154 4.37329
17 3.76125 22.3253
19 14.646 59.1021
21 24.7999 90.512
23 24.455 111.867
25 24.2067 117.868
EOD
plot $data using 1:2 with linespoints linewidth 2 linecolor rgb '#0072b2' title "Stockham", $data using 1:3 with linespoints linewidth 2 linecolor rgb '#d55e00' title "ours"
