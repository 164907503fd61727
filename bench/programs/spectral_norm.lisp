;; files: spectral_norm.json
;; Spectral norm: power iteration on an infinite matrix computed entry by entry, floating-point vectors.
(defn entry [i j]
  (let [s (+ i j)]
    (/ 1.0 (+ (quot (* s (inc s)) 2) i 1))))

(defn times-a [v]
  (mapv (fn [i] (reduce + (map-indexed (fn [j x] (* (entry i j) x)) v)))
        (range (count v))))

(defn times-a-transposed [v]
  (mapv (fn [i] (reduce + (map-indexed (fn [j x] (* (entry j i) x)) v)))
        (range (count v))))

(defn times-ata [v]
  (times-a-transposed (times-a v)))

(defn dot [u v]
  (reduce + (map * u v)))

(let [start (vec (repeat data/n 1.0))
      [u v] (nth (iterate (fn [[u _]]
                            (let [v (times-ata u)]
                              [(times-ata v) v]))
                          [start nil])
                 10)]
  (long (+ 0.5 (* 1e9 (Math/sqrt (/ (dot u v) (dot v v)))))))
