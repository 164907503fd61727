;; files: windows.json
;; Sliding windows over a number series: moving averages, moving maximum and minimum, crossings, smoothing, greatest fall.
(defn moving-average [width xs]
  (->> (map - (drop width xs) xs)
       (reductions + (reduce + (take width xs)))
       (map #(quot % width))))

(defn moving [f width xs]
  (map #(apply f %) (partition width 1 xs)))

(defn crossings [xs ys]
  (->> (map > xs ys)
       (partition 2 1)
       (filter (fn [[before now]] (not= before now)))
       count))

;; Exponential smoothing in thousandths.
(defn smooth [weight xs]
  (rest (reductions (fn [level x]
                      (quot (+ (* weight 1000 x) (* (- 100 weight) level)) 100))
                    (* 1000 (first xs))
                    xs)))

(defn greatest-fall [xs]
  (apply max (map - (reductions max xs) xs)))

(defn mix [h x]
  (mod (+ (* h 31) x) 1000000007))

(let [xs   data/series
      fast (moving-average data/short xs)
      slow (moving-average data/long xs)
      high (moving max data/width xs)
      low  (moving min data/width xs)]
  (as-> 7 h
    (reduce mix h fast)
    (reduce mix h slow)
    (reduce mix h (map - high low))
    (mix h (crossings (drop (- data/long data/short) fast) slow))
    (reduce mix h (smooth 20 xs))
    (mix h (greatest-fall xs))))
