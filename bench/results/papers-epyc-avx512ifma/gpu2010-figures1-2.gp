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
11 1.49939 1.4566 0.273384 0.448196 0.231056 0.317703 NaN NaN
14 1.50311 1.45844 0.312958 0.48793 0.275681 0.362015 NaN NaN
17 1.54496 1.49904 0.367363 0.541962 0.320229 0.410767 NaN NaN
20 1.7056 1.55109 0.381532 0.572789 0.34263 0.441187 NaN NaN
23 1.98785 1.97913 0.79957 0.954959 0.739293 0.888869 NaN NaN
26 NaN NaN NaN NaN NaN NaN NaN NaN
EOD
plot $data using 1:2 with linespoints linewidth 2 linecolor rgb '#0072b2' title "CPU, portable, Montgomery", $data using 1:3 with linespoints linewidth 2 linecolor rgb '#d55e00' title "CPU, portable, floating point", $data using 1:4 with linespoints linewidth 2 linecolor rgb '#009e73' title "CPU, avx2, Montgomery", $data using 1:5 with linespoints linewidth 2 linecolor rgb '#cc79a7' title "CPU, avx2, floating point", $data using 1:6 with linespoints linewidth 2 linecolor rgb '#56b4e9' title "CPU, avx512ifma, Montgomery", $data using 1:7 with linespoints linewidth 2 linecolor rgb '#e69f00' title "CPU, avx512ifma, floating point"
