;; files: top_k.json
;; Best k of records: sorted within each group, a leaderboard kept over a stream in a sorted set, and ranks with ties.
(defn by-score [{:keys [score id]}]
  [(- score) id])

(defn top-of-groups [k rows]
  (for [[team rows] (sort-by key (group-by :team rows))
        row         (take k (sort-by by-score rows))]
    [team (:id row) (:score row)]))

;; After each record the leaderboard holds the k best so far; answers every change of leader set.
(defn stream-leaders [k rows]
  (reduce (fn [{:keys [board changes]} row]
            (let [entry (by-score row)
                  wider (conj board entry)
                  board (if (> (count wider) k)
                          (disj wider (first (rseq wider)))
                          wider)]
              {:board   board
               :changes (if (contains? board entry) (inc changes) changes)}))
          {:board (sorted-set) :changes 0}
          rows))

(defn best-per-player [rows]
  (vals (reduce (fn [best {:keys [player] :as row}]
                  (let [old (best player)]
                    (if (or (nil? old) (neg? (compare (by-score row) (by-score old))))
                      (assoc best player row)
                      best)))
                {}
                rows)))

;; Equal scores share a rank, the next rank is skipped: 1 2 2 4.
(defn ranked [rows]
  (let [sorted (sort-by by-score rows)]
    (rest (reductions (fn [{:keys [place rank score]} row]
                        (let [place (inc place)]
                          {:place place
                           :rank  (if (= score (:score row)) rank place)
                           :score (:score row)
                           :id    (:id row)}))
                      {:place 0 :rank 0 :score nil}
                      sorted))))

(defn mix [h x]
  (mod (+ (* h 31) x) 1000000007))

(let [groups                  (top-of-groups data/k data/rows)
      {:keys [board changes]} (stream-leaders (* 4 data/k) data/rows)
      ranks                   (ranked (best-per-player data/rows))]
  (as-> 7 h
    (reduce (fn [h [_ id score]] (mix (mix h id) score)) h groups)
    (reduce (fn [h [negated id]] (mix (mix h (- negated)) id)) h board)
    (mix h changes)
    (reduce (fn [h {:keys [rank id]}] (mix (mix h rank) id)) h ranks)))
