;; files: permute.json
;; Permute: all permutations of a vector by recursive swapping and swapping back, counting the calls.
(defn swap [v i j]
  (assoc v i (v j) j (v i)))

;; state is {:items vector, :calls number, :sum number}
(defn permute [{:keys [items] :as state} n]
  (let [state (update state :calls inc)]
    (if (zero? n)
      (update state :sum (fn [sum] (mod (+ (* sum 31) (first items)) 1000000007)))
      (let [end (dec n)]
        (reduce (fn [state i]
                  (-> state
                      (update :items swap end i)
                      (permute end)
                      (update :items swap end i)))
                (permute state end)
                (range end -1 -1))))))

(let [{:keys [items calls sum]} (permute {:items (vec (range data/n)) :calls 0 :sum 7} data/n)]
  (mod (+ (* 1000 calls) sum (peek items)) 1000000007))
