;; files: log_scan.json
;; Scanning server log lines with a regular expression: counts by hour and level, failures and slow times by route, slowest requests.
(def line-pattern
  #"(\d{4}-\d{2}-\d{2})T(\d{2}):\d{2}:\d{2}Z (\w+) \[(\w+)\] (\w+) (\S+) status=(\d+) dur=(\d+)ms")

(defn parse-line [index line]
  (when-let [[_ date hour level host method path status duration] (re-matches line-pattern line)]
    {:index    index
     :date     date
     :hour     hour
     :level    level
     :host     host
     :route    (str method " " (str/replace path #"/\d+" "/:id"))
     :status   (parse-long status)
     :duration (parse-long duration)}))

(defn route-line [[route requests]]
  (let [times (vec (sort (map :duration requests)))
        n     (count times)]
    (str route
         " n=" n
         " failed=" (count (filter #(>= (:status %) 500) requests))
         " mean=" (quot (reduce + times) n)
         " p95=" (times (quot (* 95 (dec n)) 100)))))

(defn hash-text [h text]
  (reduce (fn [h c] (mod (+ (* h 31) (int c)) 1000000007)) h text))

(let [entries (keep-indexed parse-line data/lines)
      slowest (->> entries
                   (sort-by (juxt (comp - :duration) :index))
                   (take data/top))
      report  (concat
                [(str "skipped " (- (count data/lines) (count entries)))]
                (for [[[hour level] n] (sort (frequencies (map (juxt :hour :level) entries)))]
                  (str hour " " level " " n))
                (map route-line (sort-by key (group-by :route entries)))
                (for [[host n] (sort (frequencies (map :host (filter #(= "ERROR" (:level %)) entries))))]
                  (str "errors on " host " " n))
                (for [{:keys [index date route duration]} slowest]
                  (str index " " date " " route " " duration)))]
  (reduce hash-text 7 report))
