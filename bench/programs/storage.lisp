;; files: storage.json
;; Storage: building a tree of vectors with leaves of random length, then walking it; allocation of small vectors.
(defn next-random [seed]
  (mod (+ (* seed 1309) 13849) 65536))

;; Answers [tree seed].
(defn build-tree [depth seed]
  (if (= depth 1)
    (let [seed (next-random seed)]
      [(vec (repeat (inc (mod seed 10)) nil)) seed])
    (reduce (fn [[children seed] _]
              (let [[child seed] (build-tree (dec depth) seed)]
                [(conj children child) seed]))
            [[] seed]
            (range 4))))

(defn count-vectors [tree]
  (reduce (fn [n child] (if (vector? child) (+ n (count-vectors child)) n))
          1
          tree))

(defn count-slots [tree]
  (reduce (fn [n child] (if (vector? child) (+ n (count-slots child)) n))
          (count tree)
          tree))

(let [[tree seed] (build-tree data/depth 74755)]
  (mod (+ (* 31 31 (count-vectors tree)) (* 31 (count-slots tree)) seed) 1000000007))
