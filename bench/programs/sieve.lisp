;; files: sieve.json
;; Sieve of Eratosthenes over a vector of flags, counting and summing the primes.
(defn cross-out [flags p]
  (reduce (fn [flags i] (assoc flags i false))
          flags
          (range (* p p) (count flags) p)))

(defn sieve [n]
  (loop [flags (assoc (vec (repeat (inc n) true)) 0 false 1 false)
         p     2]
    (cond
      (> (* p p) n) flags
      (flags p)     (recur (cross-out flags p) (inc p))
      :else         (recur flags (inc p)))))

(let [primes (keep-indexed (fn [i prime] (when prime i)) (sieve data/n))]
  (mod (+ (* 31 (count primes)) (reduce + primes)) 1000000007))
