;; files: nested_updates.json
;; A stream of shop events applied to one nested map of tenants, users and orders with update-in, assoc-in and dissoc.
(defn order-total [{:keys [lines]}]
  (reduce (fn [sum {:keys [quantity price]}] (+ sum (* quantity price)))
          0
          (vals lines)))

(defn add-line [state {:keys [tenant user order sku quantity price]}]
  (-> state
      (update-in [tenant :users user :orders order :lines sku]
                 (fn [line]
                   {:quantity (+ quantity (:quantity line 0)) :price price}))
      (update-in [tenant :stock sku] (fnil - 0) quantity)))

(defn drop-line [state {:keys [tenant user order sku]}]
  (let [path [tenant :users user :orders order]]
    (if-let [{:keys [quantity]} (get-in state (conj path :lines sku))]
      (-> state
          (update-in (conj path :lines) dissoc sku)
          (update-in [tenant :stock sku] + quantity))
      state)))

(defn pay-order [state {:keys [tenant user order day]}]
  (let [path   [tenant :users user]
        placed (get-in state (conj path :orders order))]
    (if (seq (:lines placed))
      (let [total (order-total placed)]
        (-> state
            (update-in (conj path :orders) dissoc order)
            (update-in (conj path :paid) (fnil conj []) {:order order :total total :day day})
            (update-in (conj path :spent) (fnil + 0) total)
            (assoc-in (conj path :last :payment :day) day)
            (update-in [tenant :income day] (fnil + 0) total)))
      state)))

(defn set-preference [state {:keys [tenant user sku day]}]
  (assoc-in state [tenant :users user :settings :favourite] {:sku sku :since day}))

(defn restock [state {:keys [tenant sku quantity]}]
  (update-in state [tenant :stock sku] (fnil + 0) (* 10 quantity)))

(defn apply-event [state {:keys [kind] :as event}]
  (case kind
    "add"     (add-line state event)
    "drop"    (drop-line state event)
    "pay"     (pay-order state event)
    "prefer"  (set-preference state event)
    "restock" (restock state event)))

(defn mix [h x]
  (mod (+ (* h 31) x) 1000000007))

(defn mix-user [h [_ {:keys [orders paid spent settings last]}]]
  (let [open (reduce + (map order-total (vals orders)))]
    (reduce mix h [(count orders)
                   open
                   (or spent 0)
                   (get-in settings [:favourite :since] 0)
                   (get-in last [:payment :day] 0)
                   (reduce + (map (fn [{:keys [total day]}] (* day (mod total 97))) paid))])))

(defn mix-tenant [h [_ {:keys [users stock income]}]]
  (as-> (mix h (count users)) h
    (reduce mix-user h (sort-by key users))
    (reduce (fn [h [_ n]] (mix h n)) h (sort stock))
    (reduce (fn [h [day n]] (mix (mix h day) n)) h (sort income))))

(reduce mix-tenant 7 (sort-by key (reduce apply-event {} data/events)))
