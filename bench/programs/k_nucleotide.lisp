;; files: k_nucleotide.json
;; K-nucleotide: frequencies of all substrings of several lengths of a DNA text, counted in hash maps.
(def patterns ["GGT" "GGTA" "GGTATT" "GGTATTTTAATT" "GGTATTTTAATTTATAGT"])

(defn count-frames [dna size]
  (frequencies (map (fn [i] (subs dna i (+ i size)))
                    (range (inc (- (count dna) size))))))

(defn report-shares [dna size]
  (let [counts (count-frames dna size)
        total  (reduce + (vals counts))]
    (for [[frame n] (sort-by (fn [[frame n]] [(- n) frame]) counts)]
      (str frame " " (quot (* 100000 n) total)))))

(defn report-pattern [dna pattern]
  (str (get (count-frames dna (count pattern)) pattern 0) " " pattern))

(defn hash-text [h text]
  (reduce (fn [h c] (mod (+ (* h 31) (int c)) 1000000007)) h text))

(let [dna   (str/upper-case data/dna)
      lines (concat (report-shares dna 1)
                    (report-shares dna 2)
                    (map #(report-pattern dna %) patterns))]
  (reduce hash-text 7 lines))
