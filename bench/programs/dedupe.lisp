;; files: dedupe.json
;; Near duplicates in contact records: normalised e-mail and name keys, clusters joined by shared keys, merged records.
(defn email-key [email]
  (let [[user domain] (str/split (str/lower-case (str/trim email)) #"@")
        user          (first (str/split user #"\+"))]
    (str "e:" (str/replace user "." "") "@" domain)))

(defn name-key [{:keys [name phone]}]
  (let [words  (-> (str/lower-case name)
                   (str/replace #"[^a-z ]" "")
                   str/trim
                   (str/split #" +"))
        digits (str/replace phone #"[^0-9]" "")]
    (str "n:" (str/join " " (sort words)) "/" (subs digits (- (count digits) 7)))))

(defn find-root [parents id]
  (let [parent (get parents id)]
    (if parent (recur parents parent) id)))

;; Owners maps each key to the first record that had it; parents maps a record to an earlier one of its cluster.
(defn add-record [{:keys [owners parents]} {:keys [id email] :as record}]
  (let [ks      [(email-key email) (name-key record)]
        roots   (distinct (keep #(some->> (owners %) (find-root parents)) ks))
        root    (if (seq roots) (apply min roots) id)
        parents (reduce (fn [parents other] (assoc parents other root))
                        parents
                        (remove #(= root %) (cons id roots)))]
    {:owners  (reduce (fn [owners k] (if (owners k) owners (assoc owners k id))) owners ks)
     :parents parents}))

(defn longer [a b]
  (if (> (count b) (count a)) b a))

(defn merge-records [records]
  (reduce (fn [a b]
            {:id    (min (:id a) (:id b))
             :name  (longer (:name a) (:name b))
             :email (longer (:email a) (:email b))
             :phone (longer (:phone a) (:phone b))
             :spent (+ (:spent a) (:spent b))})
          records))

(defn mix [h x]
  (mod (+ (* h 31) x) 1000000007))

(let [{:keys [parents]} (reduce add-record {:owners {} :parents {}} data/records)
      clusters          (group-by #(find-root parents (:id %)) data/records)]
  (reduce (fn [h [root records]]
            (let [{:keys [id name email phone spent]} (merge-records records)]
              (reduce mix h [root (count records) id (count name) (count email) (count phone) spent])))
          (count clusters)
          (sort-by key clusters)))
