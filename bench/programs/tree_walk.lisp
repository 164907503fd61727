;; files: tree_walk.json
;; Walking nested records (a file tree) to their depth: totals per node, counts by level, heaviest paths, pruning.
(defn with-totals [{:keys [size children] :as node}]
  (let [children (mapv with-totals children)]
    (assoc node
           :children children
           :total (reduce + size (map :total children))
           :nodes (reduce + 1 (map :nodes children)))))

(defn by-level [tree]
  (loop [level [tree], sums []]
    (if (seq level)
      (recur (mapcat :children level)
             (conj sums [(count level) (reduce + (map :size level))]))
      sums)))

(defn heaviest-path [{:keys [name children]}]
  (cons name
        (when (seq children)
          (heaviest-path (first (sort-by (fn [child] [(- (:total child)) (:name child)])
                                         children))))))

(defn prune [limit node]
  (update node :children
          (fn [children]
            (mapv #(prune limit %) (remove #(< (:total %) limit) children)))))

(defn paths-to [wanted? path {:keys [name children] :as node}]
  (let [path (conj path name)]
    (concat (when (wanted? node) [(str/join "/" path)])
            (mapcat #(paths-to wanted? path %) children))))

(defn extension [name]
  (last (str/split name #"\.")))

(defn sizes-by-kind [tree]
  (reduce (fn [sizes {:keys [name size]}]
            (update sizes (extension name) (fnil + 0) size))
          {}
          (remove #(seq (:children %)) (tree-seq :children :children tree))))

(defn mix [h x]
  (mod (+ (* h 31) x) 1000000007))

(defn hash-text [h text]
  (reduce (fn [h c] (mix h (int c))) h text))

(defn mix-pruned [tree h limit]
  (let [small  (with-totals (prune limit tree))
        middle (fn [{:keys [total children]}]
                 (and (seq children) (< limit total (* 4 limit))))]
    (as-> (mix (mix h (:total small)) (:nodes small)) h
      (reduce (fn [h [kind size]] (mix (hash-text h kind) size)) h (sort (sizes-by-kind small)))
      (reduce hash-text h (paths-to middle [] tree)))))

(let [tree (with-totals data/tree)]
  (as-> (mix (:total tree) (:nodes tree)) h
    (reduce (fn [h [n size]] (mix (mix h n) size)) h (by-level tree))
    (hash-text h (str/join "/" (heaviest-path tree)))
    (reduce (fn [h limit] (mix-pruned tree h limit)) h data/limits)))
