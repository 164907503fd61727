;; files: havlak.json
;; Havlak, reduced (plain union-find, one pass): finding nested loops in a synthetic control-flow graph with maps, vectors and sets.
(defn connect [graph from to]
  (-> graph
      (update-in [:successors from] (fnil conj []) to)
      (update-in [:predecessors to] (fnil conj []) from)))

(defn straight [graph start]
  (connect graph start (inc start)))

(defn diamond [graph start]
  (-> graph
      (connect start (+ start 1))
      (connect start (+ start 2))
      (connect (+ start 1) (+ start 3))
      (connect (+ start 2) (+ start 3))))

;; Two loops inside one; begins at start, ends at start + 10.
(defn base-loop [graph start]
  (let [header (+ start 1)
        middle (+ start 4)
        inner  (+ start 5)
        bottom (+ start 8)
        footer (+ start 9)]
    (-> graph
        (straight start)
        (diamond header)
        (straight middle)
        (diamond inner)
        (straight bottom)
        (connect bottom inner)
        (connect middle header)
        (connect footer start)
        (straight footer))))

(defn loop-chain [[graph top] length]
  (let [start  (inc top)
        graph  (reduce (fn [graph i] (base-loop graph (+ start (* 10 i))))
                       (straight graph top)
                       (range length))
        end    (+ start (* 10 length))
        bottom (inc end)]
    [(-> graph (straight end) (connect end top)) bottom]))

(defn build-graph [{:keys [trees chains length]}]
  (first
    (reduce (fn [[graph node] _]
              (let [root         (inc node)
                    [graph node] (reduce (fn [state _] (loop-chain state length))
                                         [(connect graph 2 root) root]
                                         (range chains))]
                [(connect graph node 1) node]))
            [(-> {} (connect 0 2) (connect 2 1)) 2]
            (range trees))))

;; Depth-first numbering: :nodes by number, :number by node, :last descendant by number.
(defn number-nodes [{:keys [successors]}]
  (loop [stack [[:enter 0]], nodes [], number {}, last-of {}]
    (if-let [[step node] (peek stack)]
      (cond
        (= step :leave)
        (recur (pop stack) nodes number (assoc last-of (number node) (dec (count nodes))))

        (number node)
        (recur (pop stack) nodes number last-of)

        :else
        (recur (into (conj (pop stack) [:leave node])
                     (map (fn [s] [:enter s]) (reverse (get successors node))))
               (conj nodes node)
               (assoc number node (count nodes))
               last-of))
      {:nodes nodes :number number :last last-of})))

(defn find-root [parents x]
  (let [parent (parents x)]
    (if (= parent x) x (recur parents parent))))

;; Follows the entering edges backwards from a loop's back edges; answers the loop body.
(defn collect-body [ancestor? parents entering header sources]
  (loop [work (seq sources), body (set sources), kind :reducible, entering entering]
    (if work
      (let [outside (->> (get entering (first work))
                         (map #(find-root parents %)))
            strange (remove #(ancestor? header %) outside)
            new     (->> outside
                         (filter #(ancestor? header %))
                         (remove #(or (= header %) (body %)))
                         distinct)]
        (recur (seq (concat new (rest work)))
               (into body new)
               (if (seq strange) :irreducible kind)
               (update entering header into strange)))
      {:body body :kind kind :entering entering})))

(defn find-loops [graph]
  (let [{:keys [nodes number] last-of :last} (number-nodes graph)
        size      (count nodes)
        ancestor? (fn [w v] (<= w v (last-of w)))
        sources   (mapv (fn [node] (keep number (get-in graph [:predecessors node]))) nodes)
        entering  (vec (map-indexed (fn [w vs] (set (remove #(ancestor? w %) vs))) sources))]
    (:loops
      (reduce
        (fn [{:keys [parents entering loops] :as state} w]
          (let [back  (filter #(ancestor? w %) (sources w))
                self  (some #(= w %) back)
                ends  (->> back (remove #(= w %)) (map #(find-root parents %)) set)]
            (if (or self (seq ends))
              (let [{:keys [body kind entering]} (collect-body ancestor? parents entering w ends)
                    children (filter loops body)]
                {:parents  (reduce (fn [parents node] (assoc parents node w)) parents body)
                 :entering entering
                 :loops    (reduce (fn [loops child] (assoc-in loops [child :parent] w))
                                   (assoc loops w {:kind    (if (seq body) kind :self)
                                                   :members (- (count body) (count children))
                                                   :parent  nil})
                                   children)})
              state)))
        {:parents (vec (range size)) :entering entering :loops {}}
        (range (dec size) -1 -1)))))

(defn with-depths [loops]
  (reduce (fn [loops header]
            (let [parent (get-in loops [header :parent])]
              (assoc-in loops [header :depth]
                        (if parent (inc (get-in loops [parent :depth])) 1))))
          loops
          (sort (keys loops))))

(let [loops (with-depths (find-loops (build-graph {:trees  data/trees
                                                   :chains data/chains
                                                   :length data/length})))
      codes {:reducible 1 :irreducible 2 :self 3}]
  (reduce (fn [h [header {:keys [kind members depth]}]]
            (mod (+ (* h 31) (* 1000 header) (* 100 (codes kind)) (* 10 members) depth)
                 1000000007))
          (count loops)
          (sort-by key loops)))
