;; files: deltablue.json
;; DeltaBlue, reduced (acyclic networks only, no cycle check): incremental constraint solving, chain and projection tests, the network in one nested map.
(def required 0)
(def preferred 2)
(def strong-default 3)
(def normal 4)
(def weakest 6)

(defn variable [value]
  {:value value :constraints [] :determined-by nil :mark 0 :strength weakest :stay true})

(defn network [values]
  {:vars (mapv variable values) :constraints [] :mark 0})

;; A constraint is {:kind :strength :a :b ...}; :stay and :edit have :b only.
;; :direction is nil while it is unsatisfied.
(defn constraint [net id]
  (get-in net [:constraints id]))

(defn value-of [net v]
  (get-in net [:vars v :value]))

(defn satisfied? [c]
  (some? (:direction c)))

(defn output-of [{:keys [direction a b]}]
  (if (= direction :backward) a b))

(defn input-of [{:keys [direction a b]}]
  (if (= direction :backward) b a))

(defn inputs-of [{:keys [a scale offset] :as c}]
  (when a
    (filter some? [(input-of c) scale offset])))

(defn execute [net {:keys [kind direction a b scale offset] :as c}]
  (case kind
    (:stay :edit) net
    :equal (assoc-in net [:vars (output-of c) :value] (value-of net (input-of c)))
    :scale (let [scale  (value-of net scale)
                 offset (value-of net offset)]
             (if (= direction :forward)
               (assoc-in net [:vars b :value] (+ (* scale (value-of net a)) offset))
               (assoc-in net [:vars a :value] (quot (- (value-of net b) offset) scale))))))

(defn recalculate [net id]
  (let [{:keys [kind strength a] :as c} (constraint net id)
        stay     (and (not= kind :edit)
                      (every? (fn [v] (get-in net [:vars v :stay])) (inputs-of c)))
        strength (if a
                   (max strength (get-in net [:vars (input-of c) :strength]))
                   strength)
        net      (update-in net [:vars (output-of c)] assoc :strength strength :stay stay)]
    (if stay
      (execute net c)
      net)))

(defn consumers [net v]
  (let [{:keys [constraints determined-by]} (get-in net [:vars v])]
    (filter (fn [id] (and (not= id determined-by) (satisfied? (constraint net id))))
            constraints)))

(defn propagate [net id]
  (loop [net net, todo [id]]
    (if-let [id (peek todo)]
      (let [net (recalculate net id)]
        (recur net (into (pop todo) (consumers net (output-of (constraint net id))))))
      net)))

(defn choose-direction [net {:keys [a b strength]} mark]
  (let [free? (fn [v]
                (let [variable (get-in net [:vars v])]
                  (and (not= mark (:mark variable))
                       (< strength (:strength variable)))))]
    (if (nil? a)
      (when (free? b) :forward)
      (let [from (get-in net [:vars a])
            to   (get-in net [:vars b])]
        (if (and (not= mark (:mark from))
                 (or (= mark (:mark to))
                     (> (:strength from) (:strength to))))
          (when (free? a) :backward)
          (when (free? b) :forward))))))

;; Answers [net overridden-constraint-or-nil].
(defn satisfy [net id mark]
  (let [c   (constraint net id)
        c   (assoc c :direction (choose-direction net c mark))
        net (assoc-in net [:constraints id] c)]
    (if (satisfied? c)
      (let [out        (output-of c)
            overridden (get-in net [:vars out :determined-by])
            net        (reduce (fn [net v] (assoc-in net [:vars v :mark] mark))
                               net (inputs-of c))
            net        (if overridden
                         (assoc-in net [:constraints overridden :direction] nil)
                         net)]
        [(-> net
             (assoc-in [:vars out :determined-by] id)
             (propagate id)
             (assoc-in [:vars out :mark] mark))
         overridden])
      [net nil])))

(defn solve [net id]
  (let [mark (inc (:mark net))]
    (loop [net (assoc net :mark mark), id id]
      (if id
        (let [[net overridden] (satisfy net id mark)]
          (recur net overridden))
        net))))

(defn variables-of [{:keys [a b scale offset]}]
  (filter some? [a b scale offset]))

;; Answers [net id-of-the-new-constraint].
(defn add-constraint [net c]
  (let [id  (count (:constraints net))
        net (update net :constraints conj (assoc c :direction nil))
        net (reduce (fn [net v] (update-in net [:vars v :constraints] conj id))
                    net (variables-of c))]
    [(solve net id) id]))

(defn release-variable [net v]
  (loop [net         (update-in net [:vars v] assoc
                                :determined-by nil :strength weakest :stay true)
         todo        [v]
         unsatisfied []]
    (if-let [v (peek todo)]
      (let [users (consumers net v)
            idle  (remove #(satisfied? (constraint net %))
                          (get-in net [:vars v :constraints]))]
        (recur (reduce recalculate net users)
               (into (pop todo) (map #(output-of (constraint net %)) users))
               (into unsatisfied idle)))
      [net unsatisfied])))

(defn remove-constraint [net id]
  (let [c   (constraint net id)
        net (reduce (fn [net v]
                      (update-in net [:vars v :constraints]
                                 (fn [ids] (filterv #(not= id %) ids))))
                    (assoc-in net [:constraints id :direction] nil)
                    (variables-of c))]
    (if (satisfied? c)
      (let [[net unsatisfied] (release-variable net (output-of c))]
        (reduce (fn [net id]
                  (if (satisfied? (constraint net id)) net (solve net id)))
                net
                (sort-by (fn [id] [(:strength (constraint net id)) id]) unsatisfied)))
      net)))

(defn known? [net c mark]
  (every? (fn [v]
            (let [variable (get-in net [:vars v])]
              (or (= mark (:mark variable))
                  (:stay variable)
                  (nil? (:determined-by variable)))))
          (inputs-of c)))

;; Answers [net ids-of-constraints-to-execute-in-order].
(defn make-plan [net sources]
  (let [mark (inc (:mark net))]
    (loop [net (assoc net :mark mark), todo sources, plan []]
      (if-let [id (peek todo)]
        (let [c   (constraint net id)
              out (output-of c)]
          (if (and (not= mark (get-in net [:vars out :mark]))
                   (known? net c mark))
            (let [net (assoc-in net [:vars out :mark] mark)]
              (recur net (into (pop todo) (consumers net out)) (conj plan id)))
            (recur net (pop todo) plan)))
        [net plan]))))

(defn set-and-run [net plan v value]
  (reduce (fn [net id] (execute net (constraint net id)))
          (assoc-in net [:vars v :value] value)
          plan))

(defn edit-variable [net v values]
  (let [[net edit] (add-constraint net {:kind :edit :strength preferred :b v})
        [net plan] (make-plan net [edit])
        net        (reduce (fn [net value] (set-and-run net plan v value)) net values)]
    (remove-constraint net edit)))

(defn mix [h x]
  (mod (+ (* h 31) x) 1000000007))

(defn chain-test [length edits]
  (let [net     (network (repeat (inc length) 0))
        net     (reduce (fn [net i]
                          (first (add-constraint net {:kind :equal :strength required
                                                      :a i :b (inc i)})))
                        net (range length))
        [net _] (add-constraint net {:kind :stay :strength strong-default :b length})
        [net e] (add-constraint net {:kind :edit :strength preferred :b 0})
        [net p] (make-plan net [e])]
    (loop [net net, i 0, h 7]
      (if (< i edits)
        (let [net (set-and-run net p 0 (* i i))]
          (recur net (inc i) (mix h (value-of net length))))
        (mix h (value-of (edit-variable (remove-constraint net e) length [5 6]) 0))))))

;; Variable 0 is the scale, 1 the offset; pair i has source 2i+2 and target 2i+3.
(defn projection-test [pairs]
  (let [source  (fn [i] (+ 2 (* 2 i)))
        target  (fn [i] (+ 3 (* 2 i)))
        net     (network (into [10 1000] (mapcat (fn [i] [i i]) (range pairs))))
        net     (reduce (fn [net i]
                          (let [[net _] (add-constraint net {:kind :stay :strength normal
                                                             :b (source i)})
                                [net _] (add-constraint net {:kind :scale :strength required
                                                             :a (source i) :b (target i)
                                                             :scale 0 :offset 1})]
                            net))
                        net (range pairs))
        targets (fn [h net] (reduce (fn [h i] (mix h (value-of net (target i))))
                                    h (range pairs)))
        end     (dec pairs)
        net     (edit-variable net (source end) (repeat 10 17))
        h       (mix 11 (value-of net (target end)))
        net     (edit-variable net (target end) (repeat 10 1050))
        h       (mix h (value-of net (source end)))
        net     (edit-variable net 0 (repeat 10 5))
        h       (targets h net)
        net     (edit-variable net 1 (repeat 10 2000))]
    (targets h net)))

(mix (chain-test data/chain data/edits)
     (projection-test data/pairs))
