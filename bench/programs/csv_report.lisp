;; files: csv_report.json
;; A sales report from CSV text: splitting lines, quoted fields, amounts in cents, totals by region, month and product.
(defn split-quoted [line]
  (loop [chars (seq line), field [], fields [], quoted false]
    (if-let [[c & more] chars]
      (cond
        (and quoted (= c \") (= (first more) \")) (recur (next more) (conj field c) fields true)
        (= c \")                                  (recur more field fields (not quoted))
        (and (= c \,) (not quoted))               (recur more [] (conj fields (apply str field)) false)
        :else                                     (recur more (conj field c) fields quoted))
      (conj fields (apply str field)))))

(defn split-line [line]
  (if (str/includes? line "\"")
    (split-quoted line)
    (str/split line #"," -1)))

(defn parse-csv [text]
  (let [[header & lines] (str/split-lines text)
        columns          (map keyword (split-line header))]
    (map (fn [line] (zipmap columns (split-line line))) lines)))

(defn parse-cents [text]
  (let [[whole cents] (str/split text #"\.")]
    (+ (* 100 (parse-long whole)) (parse-long cents))))

(defn parse-sale [{:keys [quantity price date] :as row}]
  (assoc row
         :month (subs date 0 7)
         :quantity (parse-long quantity)
         :amount (* (parse-long quantity) (parse-cents price))))

(defn money [cents]
  (str (quot cents 100) "." (subs (str (+ 100 (rem cents 100))) 1)))

(defn total [sales]
  (reduce + (map :amount sales)))

(defn totals-by [k sales]
  (reduce (fn [totals sale] (update totals (k sale) (fnil + 0) (:amount sale))) {} sales))

(defn best [totals]
  (first (sort-by (fn [[name amount]] [(- amount) name]) totals)))

(defn region-lines [[region sales]]
  (let [[product amount]  (best (totals-by :product sales))
        [customer bought] (best (totals-by :customer sales))]
    (into [(str region ": " (count sales) " orders, " (money (total sales)))
           (str "  best product " product " " (money amount))
           (str "  best customer " customer " " (money bought))]
          (for [[month amount] (sort (totals-by :month sales))]
            (str "  " month " " (money amount))))))

(defn hash-text [h text]
  (reduce (fn [h c] (mod (+ (* h 31) (int c)) 1000000007)) h text))

(let [sales  (->> (parse-csv data/text)
                  (filter #(= "paid" (:status %)))
                  (map parse-sale))
      report (concat (mapcat region-lines (sort-by key (group-by :region sales)))
                     [(str "units " (reduce + (map :quantity sales)))
                      (str "total " (money (total sales)))])]
  (reduce hash-text 7 report))
