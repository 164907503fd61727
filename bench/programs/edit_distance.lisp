;; files: edit_distance.json
;; Edit distance by rows: finding for each misspelt word the nearest words of a dictionary.
(defn next-row [previous letter word]
  (reduce (fn [row [other diagonal above]]
            (conj row (if (= letter other)
                        diagonal
                        (inc (min diagonal above (peek row))))))
          [(inc (first previous))]
          (map vector word previous (rest previous))))

(defn distance [a b]
  (peek (reduce (fn [row letter] (next-row row letter b))
                (vec (range (inc (count b))))
                a)))

(defn suggest [dictionary word]
  (->> dictionary
       (filter #(<= (abs (- (count %) (count word))) 2))
       (map (fn [entry] [(distance word entry) entry]))
       sort
       (take 3)))

(defn hash-text [h text]
  (reduce (fn [h c] (mod (+ (* h 31) (int c)) 1000000007)) h text))

(reduce (fn [h [distance entry]] (hash-text (+ h distance) entry))
        7
        (mapcat #(suggest data/dictionary %) data/words))
