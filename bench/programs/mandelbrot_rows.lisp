;; files: mandelbrot_rows.json
;; Mandelbrot set by rows: floating-point iteration per point, eight points packed into one byte.
(defn inside? [cr ci]
  (loop [zr 0.0, zi 0.0, i 0]
    (cond
      (> (+ (* zr zr) (* zi zi)) 4.0) false
      (= i 50)                        true
      :else                           (recur (+ (- (* zr zr) (* zi zi)) cr)
                                             (+ (* 2.0 zr zi) ci)
                                             (inc i)))))

(defn pack [points]
  (reduce (fn [byte point] (+ (* 2 byte) (if point 1 0))) 0 points))

(defn row-bytes [n y]
  (let [ci (- (/ (* 2.0 y) n) 1.0)]
    (->> (range n)
         (map (fn [x] (inside? (- (/ (* 2.0 x) n) 1.5) ci)))
         (partition 8)
         (map pack))))

(reduce (fn [h byte] (mod (+ (* h 31) byte) 1000000007))
        7
        (mapcat #(row-bytes data/n %) (range data/n)))
