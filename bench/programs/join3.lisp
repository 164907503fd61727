;; files: join3.json
;; Three-way join of record lists (customers, orders, items) by hash index, then totals by country and month and best customers.
(defn index-by [k records]
  (into {} (map (juxt k identity)) records))

(defn join-all [customers orders items]
  (let [customer-of (index-by :id customers)
        order-of    (index-by :id orders)]
    (for [item items
          :let  [order    (order-of (:order item))
                 customer (customer-of (:customer order))]
          :when customer]
      (merge item
             {:amount  (* (:quantity item) (:price item))
              :month   (subs (:date order) 0 7)
              :channel (:channel order)}
             (select-keys customer [:name :country :segment])))))

(defn totals-by [k rows]
  (reduce (fn [totals row] (update totals (k row) (fnil + 0) (:amount row))) {} rows))

(defn best-customers [n rows]
  (->> (totals-by :name rows)
       (sort-by (fn [[name amount]] [(- amount) name]))
       (take n)))

(defn without-orders [customers orders]
  (let [buyers (set (map :customer orders))]
    (remove #(buyers (:id %)) customers)))

(defn hash-text [h text]
  (reduce (fn [h c] (mod (+ (* h 31) (int c)) 1000000007)) h text))

(let [rows   (join-all data/customers data/orders data/items)
      report (concat
               [(str "joined " (count rows) " of " (count data/items))]
               (for [[[country month] amount] (sort (totals-by (juxt :country :month) rows))]
                 (str country " " month " " amount))
               (for [[[segment channel] amount] (sort (totals-by (juxt :segment :channel) rows))]
                 (str segment "/" channel " " amount))
               (for [[country rows] (sort-by key (group-by :country rows))
                     [name amount]  (best-customers 3 rows)]
                 (str country " " name " " amount))
               (map :name (sort-by :id (without-orders data/customers data/orders))))]
  (reduce hash-text 7 report))
