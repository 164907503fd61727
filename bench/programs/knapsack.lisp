;; files: knapsack.json
;; Knapsack (each item once): a table of best values by item and capacity, then the chosen items read back from it.
(defn next-row [row {:keys [weight value]}]
  (vec (map-indexed (fn [capacity best]
                      (if (< capacity weight)
                        best
                        (max best (+ value (row (- capacity weight))))))
                    row)))

(defn best-rows [items capacity]
  (vec (reductions next-row (vec (repeat (inc capacity) 0)) items)))

;; Walks the rows backwards: an item was taken where its row differs from the one before.
(defn chosen [rows items capacity]
  (loop [i (count items), capacity capacity, taken ()]
    (if (zero? i)
      taken
      (let [{:keys [weight] :as item} (items (dec i))]
        (if (= (get-in rows [i capacity]) (get-in rows [(dec i) capacity]))
          (recur (dec i) capacity taken)
          (recur (dec i) (- capacity weight) (cons item taken)))))))

(defn mix [h x]
  (mod (+ (* h 31) x) 1000000007))

(let [rows  (best-rows data/items data/capacity)
      taken (chosen rows data/items data/capacity)]
  (reduce mix
          (peek (peek rows))
          (concat (map :id taken)
                  [(reduce + (map :weight taken))
                   (reduce + (map :value taken))]
                  (take-nth 100 (peek rows)))))
