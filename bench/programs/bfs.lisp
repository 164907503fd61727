;; files: bfs.json
;; Breadth-first search: distances and a shortest path in a grid maze, hop counts and components in a graph.
(defn open-cells [rows]
  (set (for [[r row]  (map-indexed vector rows)
             [c cell] (map-indexed vector row)
             :when    (not= cell \#)]
         [r c])))

(defn neighbours-in [cells [r c]]
  (filter cells [[(dec r) c] [r (dec c)] [r (inc c)] [(inc r) c]]))

;; Distance of every node that can be reached from start.
(defn distances [neighbours start]
  (loop [frontier [start], depth 1, seen {start 0}]
    (if (seq frontier)
      (let [found (->> (mapcat neighbours frontier)
                       (remove seen)
                       distinct)]
        (recur found (inc depth) (into seen (map (fn [node] [node depth]) found))))
      seen)))

;; Walks downhill from goal to the start of the distances, first best neighbour first.
(defn shortest-path [neighbours distance goal]
  (->> goal
       (iterate (fn [node]
                  (let [nearer (dec (distance node))]
                    (first (filter #(= nearer (distance %)) (neighbours node))))))
       (take (inc (distance goal)))))

(defn adjacency [edges]
  (reduce (fn [graph [a b]]
            (-> graph
                (update a (fnil conj []) b)
                (update b (fnil conj []) a)))
          {}
          edges))

(defn components [graph]
  (loop [left (sort (keys graph)), seen #{}, sizes []]
    (if-let [node (first left)]
      (if (seen node)
        (recur (rest left) seen sizes)
        (let [reached (keys (distances graph node))]
          (recur (rest left) (into seen reached) (conj sizes (count reached)))))
      sizes)))

(defn mix [h x]
  (mod (+ (* h 31) x) 1000000007))

(defn grid-answer [h rows]
  (let [cells      (open-cells rows)
        neighbours #(neighbours-in cells %)
        distance   (distances neighbours [1 1])
        [goal far] (first (sort-by (fn [[[r c] d]] [(- d) r c]) distance))
        path       (shortest-path neighbours distance goal)]
    (reduce (fn [h [r c]] (mix (mix h r) c))
            (reduce mix h [(count cells) (count distance) far (reduce + (vals distance))])
            path)))

(defn graph-answer [h edges sources]
  (let [graph (adjacency edges)]
    (reduce (fn [h source]
              (let [hops (distances graph source)]
                (reduce mix h [(count hops) (apply max (vals hops)) (reduce + (vals hops))])))
            (reduce mix h (components graph))
            sources)))

(-> 7
    (grid-answer data/rows)
    (graph-answer data/edges data/sources))
