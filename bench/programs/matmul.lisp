;; files: matmul.json
;; Matrix multiplication of vectors of rows, A times B times the transpose of A, whole numbers.
(defn make-matrix [n a b]
  (mapv (fn [i] (mapv (fn [j] (- (mod (+ (* a i) (* b j) (* i j)) 19) 9)) (range n)))
        (range n)))

(defn transpose [m]
  (apply mapv vector m))

(defn dot [u v]
  (reduce + (map * u v)))

(defn multiply [a b]
  (let [columns (transpose b)]
    (mapv (fn [row] (mapv #(dot row %) columns)) a)))

(let [a (make-matrix data/n 3 7)
      b (make-matrix data/n 5 2)
      m (multiply (multiply a b) (transpose a))]
  (reduce (fn [h x] (mod (+ (* h 31) x) 1000000007))
          7
          (apply concat m)))
