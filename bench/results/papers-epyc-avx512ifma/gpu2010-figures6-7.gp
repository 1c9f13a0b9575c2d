set terminal svg size 900,520 font 'sans-serif,13' background 'white'
set output "gpu2010-figures6-7.svg"
set encoding utf8
set title "Transforms modulo a prime of 30 bits, without transfers"
set xlabel "log2 of the number of points"
set ylabel "ms"
set datafile missing NaN
set key outside below
set grid ytics linecolor '#dddddd'
set offsets 0.5, 0.5, 0, 0
set format y '%g'
set logscale y
$data << EOD
12 NaN 1 NaN 2 NaN NaN 1 0.00592625
13 NaN 2 NaN 2 NaN NaN 1 0.0191535
14 NaN 1 NaN 2 NaN NaN 3 0.030265
15 NaN 2 NaN 3 NaN NaN 4 0.07418
16 NaN 3 NaN 3 NaN NaN 10 0.151806
17 NaN 4 NaN 3 NaN NaN 16 0.480134
18 NaN 6 NaN 4 NaN NaN 37 0.851687
19 NaN 11 NaN 6 NaN NaN 71 1.92211
20 NaN 22 NaN 9 NaN NaN 174 4.52987
21 NaN 44 NaN 16 NaN NaN 470 11.8207
22 NaN 83 NaN 29 NaN NaN 997 24.4358
23 NaN 165 NaN 56 NaN NaN 2070 51.0334
24 NaN 330 NaN 113 NaN NaN 4194 114.482
25 NaN 667 NaN 230 NaN NaN 8611 269.267
26 NaN 1338 NaN 473 NaN NaN 17617 723.801
EOD
plot $data using 1:3 with linespoints dashtype 3 linewidth 2 linecolor rgb '#d55e00' title "tabulated powers, published", $data using 1:5 with linespoints dashtype 3 linewidth 2 linecolor rgb '#cc79a7' title "Stockham, published", $data using 1:8 with linespoints dashtype 3 linewidth 2 linecolor rgb '#000000' title "CPU, published", $data using 1:9 with linespoints linewidth 2 linecolor rgb '#7f7f7f' title "CPU"
