;; files: fannkuch.json
;; Fannkuch: all permutations of n numbers in rotation order, counting the prefix reversals each needs.
(defn flip-prefix [perm k]
  (into (vec (rseq (subvec perm 0 k))) (subvec perm k)))

(defn count-flips [perm]
  (loop [perm perm, flips 0]
    (let [top (first perm)]
      (if (zero? top)
        flips
        (recur (flip-prefix perm (inc top)) (inc flips))))))

(defn rotate-prefix [perm k]
  (into (conj (subvec perm 1 k) (first perm)) (subvec perm k)))

(defn next-state [n {:keys [perm turns]}]
  (loop [i 1, perm perm, turns turns]
    (when (< i n)
      (let [perm (rotate-prefix perm (inc i))]
        (if (< (turns i) i)
          {:perm perm :turns (update turns i inc)}
          (recur (inc i) perm (assoc turns i 0)))))))

(let [n data/n]
  (loop [state    {:perm (vec (range n)) :turns (vec (repeat n 0))}
         index    0
         checksum 0
         most     0]
    (if state
      (let [flips (count-flips (:perm state))]
        (recur (next-state n state)
               (inc index)
               (if (even? index) (+ checksum flips) (- checksum flips))
               (max most flips)))
      (+ (* 100 checksum) most))))
