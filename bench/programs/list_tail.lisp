;; files: list_tail.json
;; List (Takl): the Takeuchi function on numbers written as lists, comparing lengths by walking both lists.
(defn make-list [n]
  (apply list (range n 0 -1)))

(defn shorter? [a b]
  (cond
    (empty? b) false
    (empty? a) true
    :else      (recur (rest a) (rest b))))

(defn tail [x y z]
  (if (shorter? y x)
    (recur (tail (rest x) y z)
           (tail (rest y) z x)
           (tail (rest z) x y))
    z))

(reduce (fn [h [x y z]]
          (let [result (tail (make-list x) (make-list y) (make-list z))]
            (reduce (fn [h n] (mod (+ (* h 31) n) 1000000007))
                    (+ h (count result))
                    result)))
        7
        data/triples)
