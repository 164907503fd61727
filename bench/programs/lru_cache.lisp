;; files: lru_cache.json
;; A least-recently-used cache under a stream of gets, puts and deletes: a map of entries and a sorted map of ages.
(def empty-cache
  {:entries {} :ages (sorted-map) :clock 0})

(defn forget [cache k]
  (if-let [{:keys [age]} (get-in cache [:entries k])]
    (-> cache
        (update :entries dissoc k)
        (update :ages dissoc age))
    cache))

(defn store [{:keys [clock] :as cache} k value]
  (-> (forget cache k)
      (assoc-in [:entries k] {:value value :age clock})
      (assoc-in [:ages clock] k)
      (assoc :clock (inc clock))))

(defn evict [capacity {:keys [entries ages] :as cache}]
  (if (> (count entries) capacity)
    (let [[_ oldest] (first ages)]
      (-> cache
          (forget oldest)
          (update :evicted (fnil inc 0))))
    cache))

(defn mix [h x]
  (mod (+ (* h 31) x) 1000000007))

(defn handle-get [{:keys [cache] :as state} k]
  (if-let [{:keys [value]} (get-in cache [:entries k])]
    (-> state
        (update :hits inc)
        (update :sum mix value)
        (assoc :cache (store cache k value)))
    (update state :misses inc)))

(defn step [capacity state {:keys [op key value]}]
  (case op
    "get" (handle-get state key)
    "put" (update state :cache #(evict capacity (store % key value)))
    "del" (update state :cache forget key)))

(let [{:keys [cache hits misses sum]} (reduce #(step data/capacity %1 %2)
                                              {:cache empty-cache :hits 0 :misses 0 :sum 7}
                                              data/ops)
      {:keys [entries ages evicted]}  cache]
  (reduce mix
          sum
          (concat [hits misses evicted (count entries)]
                  (map #(get-in entries [% :value]) (vals ages)))))
