;; files: pivot.json
;; Pivot tables over records: sums and maxima by two keys, row and column totals, shares, printed as text.
(defn pivot [row-key column-key value combine records]
  (reduce (fn [table record]
            (update-in table [(row-key record) (column-key record)]
                       (fn [old]
                         (if old
                           (combine old (value record))
                           (value record)))))
          {}
          records))

(defn column-names [table]
  (sort (distinct (mapcat keys (vals table)))))

(defn row-total [row]
  (reduce + (vals row)))

(defn column-totals [table]
  (apply merge-with + (vals table)))

(defn table-lines [table]
  (let [columns (column-names table)
        cells   (fn [row] (map #(get row % "-") columns))
        totals  (column-totals table)
        grand   (row-total totals)]
    (concat
      [(str/join " " (cons "key" columns))]
      (for [[name row] (sort-by key table)]
        (str/join " " (concat [name] (cells row)
                              [(row-total row)
                               (str (quot (* 1000 (row-total row)) grand) "%o")])))
      [(str/join " " (concat ["total"] (cells totals) [grand]))])))

(defn hash-text [h text]
  (reduce (fn [h c] (mod (+ (* h 31) (int c)) 1000000007)) h text))

(let [month  (fn [record] (subs (:date record) 0 7))
      gross  (fn [{:keys [amount units]}] (* amount units))
      tables [(pivot :region month gross + data/records)
              (pivot :product :region gross + data/records)
              (pivot :product month :units + data/records)
              (pivot month :region :amount max data/records)
              (pivot :seller :region gross + data/records)
              (pivot :seller month (constantly 1) + data/records)
              (pivot :product :seller :units + data/records)
              (pivot :seller (constantly "sales") (constantly 1) + data/records)]]
  (reduce hash-text 7 (mapcat table-lines tables)))
