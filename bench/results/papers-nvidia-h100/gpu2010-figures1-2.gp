set terminal svg size 900,520 font 'sans-serif,13' background 'white'
set output "gpu2010-figures1-2.svg"
set encoding utf8
set title "An array of residues of 30 bits by a constant"
set xlabel "log2 of the number of residues"
set ylabel "ns for each residue"
set datafile missing NaN
set key outside below
set grid ytics linecolor '#dddddd'
set offsets 0.5, 0.5, 0, 0
set format y '%g'
set logscale y
$data << EOD
11 1.33173 1.97668 0.442062 0.734924 0.235458 0.349243 2.84375 2.78125
14 1.37701 2.00879 0.523438 0.810089 0.399506 0.511581 0.365234 0.355469
17 1.49471 2.11916 0.593575 0.864342 0.518005 0.620216 0.045166 0.0446777
20 1.7852 2.45765 0.871839 1.14163 0.791604 0.941215 0.00872803 0.00778198
23 2.5944 3.22525 1.65973 1.9972 1.61232 1.74887 0.00421143 0.00421524
26 NaN NaN NaN NaN NaN NaN 0.00353527 0.00357914
EOD
plot $data using 1:2 with linespoints linewidth 2 linecolor rgb '#0072b2' title "CPU, portable, Montgomery", $data using 1:3 with linespoints linewidth 2 linecolor rgb '#d55e00' title "CPU, portable, floating point", $data using 1:4 with linespoints linewidth 2 linecolor rgb '#009e73' title "CPU, avx2, Montgomery", $data using 1:5 with linespoints linewidth 2 linecolor rgb '#cc79a7' title "CPU, avx2, floating point", $data using 1:6 with linespoints linewidth 2 linecolor rgb '#56b4e9' title "CPU, avx512ifma, Montgomery", $data using 1:7 with linespoints linewidth 2 linecolor rgb '#e69f00' title "CPU, avx512ifma, floating point", $data using 1:8 with linespoints linewidth 2 linecolor rgb '#000000' title "GPU, Montgomery", $data using 1:9 with linespoints linewidth 2 linecolor rgb '#7f7f7f' title "GPU, floating point"
