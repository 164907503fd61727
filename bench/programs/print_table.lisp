;; files: print_table.json
;; Printing records as a text table: column widths, left and right alignment, thousands separators, clipped text, totals.
(defn thousands [n]
  (->> (str n)
       str/reverse
       (partition-all 3)
       (map #(apply str %))
       (str/join ",")
       str/reverse))

(defn money [cents]
  (let [size (abs cents)]
    (str (when (neg? cents) "-")
         (thousands (quot size 100))
         "."
         (subs (str (+ 100 (rem size 100))) 1))))

(defn clip [limit text]
  (if (> (count text) limit)
    (str (subs text 0 (- limit 2)) "..")
    text))

(def columns
  [{:title "Name"   :align :left  :cell #(clip 18 (:name %))}
   {:title "City"   :align :left  :cell :city}
   {:title "Day"    :align :left  :cell #(str/join "/" (reverse (str/split (:day %) #"-")))}
   {:title "Units"  :align :right :cell #(thousands (:units %))}
   {:title "Amount" :align :right :cell #(money (:cents %))}
   {:title "State"  :align :left  :cell #(str/upper-case (:state %))}])

(defn pad [align width text]
  (let [space (apply str (repeat (- width (count text)) " "))]
    (if (= align :right)
      (str space text)
      (str text space))))

(defn table-lines [columns rows]
  (let [cells  (mapv (fn [row] (mapv (fn [{:keys [cell]}] (cell row)) columns)) rows)
        titles (mapv :title columns)
        widths (reduce (fn [widths line] (mapv max widths (map count line)))
                       (mapv count titles)
                       cells)
        line   (fn [line]
                 (str "| " (str/join " | " (map pad (map :align columns) widths line)) " |"))
        rule   (str "+" (str/join "+" (map #(apply str (repeat (+ 2 %) "-")) widths)) "+")]
    (concat [rule (line titles) rule]
            (mapcat (fn [group] (conj (mapv line group) rule))
                    (partition-all 5 cells)))))

(defn totals [rows]
  {:name "total" :city "" :day "" :state ""
   :units (reduce + (map :units rows))
   :cents (reduce + (map :cents rows))})

(defn mix [h x]
  (mod (+ (* h 31) x) 1000000007))

(defn hash-text [h text]
  (reduce (fn [h c] (mix h (int c))) h text))

(reduce (fn [h [state rows]]
          (let [sorted (sort-by (juxt :city (comp - :cents) :name) rows)
                lines  (table-lines columns (concat sorted [(totals rows)]))]
            (reduce hash-text
                    (mix (hash-text h state) (reduce + (map count lines)))
                    (take-nth 10 lines))))
        7
        (sort-by key (group-by :state data/rows)))
