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
12 0.041408 1 0.042944 2 0.132768 0.009824 1 0.0064505
13 0.045632 2 0.045664 2 0.145152 0.017504 1 0.01881
14 0.049728 1 0.050176 2 0.161408 0.018944 3 0.038982
15 0.052768 2 0.054528 3 0.164544 0.021664 4 0.056335
16 0.058368 3 0.058624 3 0.180512 0.018496 10 0.122164
17 0.057792 4 0.058368 3 0.22048 0.020384 16 0.412019
18 0.068128 6 0.065664 4 0.212864 0.01952 37 1.15741
19 0.081376 11 0.07264 6 0.226528 0.024256 71 2.21591
20 0.121984 22 0.105536 9 0.27008 0.026656 174 5.85149
21 0.208768 44 0.174144 16 0.417792 0.044896 470 11.0838
22 0.384448 83 0.31168 29 0.7704 0.121056 997 24.7639
23 0.868928 165 0.702592 56 1.66723 0.14512 2070 54.9821
24 2.27386 330 1.84218 113 3.77488 0.256352 4194 149.221
25 5.13197 667 3.7513 230 7.64198 0.465504 8611 300.14
26 11.3948 1338 7.70221 473 15.6148 0.89536 17617 649.395
EOD
plot $data using 1:2 with linespoints linewidth 2 linecolor rgb '#0072b2' title "Cooley-Tukey", $data using 1:3 with linespoints dashtype 3 linewidth 2 linecolor rgb '#d55e00' title "tabulated powers, published", $data using 1:4 with linespoints linewidth 2 linecolor rgb '#009e73' title "tabulated powers", $data using 1:5 with linespoints dashtype 3 linewidth 2 linecolor rgb '#cc79a7' title "Stockham, published", $data using 1:6 with linespoints linewidth 2 linecolor rgb '#56b4e9' title "Stockham", $data using 1:7 with linespoints linewidth 2 linecolor rgb '#e69f00' title "ours", $data using 1:8 with linespoints dashtype 3 linewidth 2 linecolor rgb '#000000' title "CPU, published", $data using 1:9 with linespoints linewidth 2 linecolor rgb '#7f7f7f' title "CPU"
