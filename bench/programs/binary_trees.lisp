;; files: binary_trees.json
;; Allocation and recursive walking of many short-lived balanced binary trees beside one long-lived tree.
(defn make-tree [depth]
  (if (zero? depth)
    [nil nil]
    [(make-tree (dec depth)) (make-tree (dec depth))]))

(defn count-nodes [[left right]]
  (if left
    (+ 1 (count-nodes left) (count-nodes right))
    1))

(defn mix [h x] (mod (+ (* h 31) x) 1000000007))

(let [min-depth  4
      max-depth  (max (+ min-depth 2) data/n)
      stretch    (count-nodes (make-tree (inc max-depth)))
      long-lived (make-tree max-depth)
      checks     (for [depth (range min-depth (inc max-depth) 2)]
                   (let [iterations (bit-shift-left 1 (+ (- max-depth depth) min-depth))]
                     (reduce + (map (fn [_] (count-nodes (make-tree depth)))
                                    (range iterations)))))]
  (mix (reduce mix stretch checks) (count-nodes long-lived)))
