;; files: richards.json
;; Richards: an operating-system kernel simulation, six tasks passing packets, all state in one nested map.
(def idle 0)
(def worker 1)
(def handler-a 2)
(def handler-b 3)
(def device-a 4)
(def device-b 5)

(defn packet [id kind]
  {:id id :kind kind :a1 0 :a2 [0 0 0 0]})

(defn task [kind priority queue own]
  (merge {:kind      kind
          :priority  priority
          :queue     queue
          :held      false
          :suspended true
          :runnable  (boolean (seq queue))}
         own))

(defn blocked? [{:keys [held suspended runnable]}]
  (or held (and suspended (not runnable))))

;; Tasks are tried from the highest number to the lowest.
(defn task-after [id]
  (when (pos? id) (dec id)))

;; Every kernel call returns [os next-task-id].
(defn suspend-current [{:keys [current] :as os}]
  [(assoc-in os [:tasks current :suspended] true) current])

(defn hold-current [{:keys [current] :as os}]
  [(-> os
       (update :hold-count inc)
       (assoc-in [:tasks current :held] true))
   (task-after current)])

(defn higher-priority [os id]
  (let [current (:current os)]
    (if (> (get-in os [:tasks id :priority])
           (get-in os [:tasks current :priority]))
      id
      current)))

(defn release [os id]
  [(assoc-in os [:tasks id :held] false) (higher-priority os id)])

(defn send-packet [{:keys [current] :as os} packet]
  (let [target (:id packet)
        first? (empty? (get-in os [:tasks target :queue]))
        os     (-> os
                   (update :queue-count inc)
                   (update-in [:tasks target :queue] conj (assoc packet :id current)))]
    (if first?
      [(assoc-in os [:tasks target :runnable] true) (higher-priority os target)]
      [os current])))

(defn run-idle [os {:keys [seed left]}]
  (let [os (assoc-in os [:tasks idle :left] (dec left))]
    (cond
      (= left 1)   (hold-current os)
      (even? seed) (release (assoc-in os [:tasks idle :seed] (quot seed 2)) device-a)
      :else        (release (assoc-in os [:tasks idle :seed] (bit-xor (quot seed 2) 0xD008))
                            device-b))))

(defn run-device [{:keys [current] :as os} {:keys [pending]} packet]
  (cond
    packet  (hold-current (assoc-in os [:tasks current :pending] packet))
    pending (send-packet (assoc-in os [:tasks current :pending] nil) pending)
    :else   (suspend-current os)))

(defn run-worker [os {:keys [target letter]} packet]
  (if packet
    (let [target  (if (= target handler-a) handler-b handler-a)
          letters (take 4 (rest (iterate #(if (= % 26) 1 (inc %)) letter)))]
      (send-packet (update-in os [:tasks worker] assoc :target target :letter (last letters))
                   (assoc packet :id target :a1 0 :a2 (vec letters))))
    (suspend-current os)))

(defn run-handler [{:keys [current] :as os} task packet]
  (let [{:keys [work devices] :as task}
        (cond
          (nil? packet)            task
          (= :work (:kind packet)) (update task :work conj packet)
          :else                    (update task :devices conj packet))
        save (fn [task] (assoc-in os [:tasks current] task))
        job  (first work)
        n    (:a1 job)]
    (cond
      (nil? job)
      (suspend-current (save task))

      (= n 4)
      (send-packet (save (assoc task :work (vec (rest work)))) job)

      (seq devices)
      (send-packet (save (assoc task
                                :work (assoc-in work [0 :a1] (inc n))
                                :devices (vec (rest devices))))
                   (assoc (first devices) :a1 (get-in job [:a2 n])))

      :else
      (suspend-current (save task)))))

(defn take-packet [os id]
  (let [{:keys [queue suspended runnable]} (get-in os [:tasks id])]
    (if (and suspended runnable)
      (let [others (vec (rest queue))]
        [(update-in os [:tasks id] assoc
                    :queue others
                    :suspended false
                    :runnable (boolean (seq others)))
         (first queue)])
      [os nil])))

(defn run-task [os id]
  (let [[os packet] (take-packet (assoc os :current id) id)
        task        (get-in os [:tasks id])]
    (case (:kind task)
      :idle    (run-idle os task)
      :worker  (run-worker os task packet)
      :handler (run-handler os task packet)
      :device  (run-device os task packet))))

(defn schedule [os]
  (loop [os os, id device-b]
    (cond
      (nil? id)                         os
      (blocked? (get-in os [:tasks id])) (recur os (task-after id))
      :else                             (let [[os id] (run-task os id)]
                                          (recur os id)))))

(defn boot [n]
  {:queue-count 0
   :hold-count  0
   :current     nil
   :tasks       [(task :idle 0 [] {:left n :seed 1 :suspended false})
                 (task :worker 1000 (vec (repeat 2 (packet worker :work)))
                       {:target handler-a :letter 0})
                 (task :handler 2000 (vec (repeat 3 (packet device-a :device)))
                       {:work [] :devices []})
                 (task :handler 3000 (vec (repeat 3 (packet device-b :device)))
                       {:work [] :devices []})
                 (task :device 4000 [] {:pending nil})
                 (task :device 5000 [] {:pending nil})]})

(let [{:keys [queue-count hold-count]} (schedule (boot data/n))]
  (+ (* 100000 queue-count) hold-count))
