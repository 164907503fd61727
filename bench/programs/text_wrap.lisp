;; files: text_wrap.json
;; Wrapping paragraphs of text: greedy lines, full justification, and least-ragged breaking by dynamic programming.
(defn words-of [paragraph]
  (str/split (str/trim paragraph) #"\s+"))

(defn line-width [words]
  (+ (reduce + (map count words)) (dec (count words))))

(defn wrap [width words]
  (loop [[word & more] words, line [], used 0, lines []]
    (cond
      (nil? word)                           (if (seq line) (conj lines line) lines)
      (empty? line)                         (recur more [word] (count word) lines)
      (<= (+ used 1 (count word)) width)    (recur more (conj line word) (+ used 1 (count word)) lines)
      :else                                 (recur more [word] (count word) (conj lines line)))))

(defn spaces [n]
  (apply str (repeat n " ")))

;; Wider gaps go to the left.
(defn justify [width words]
  (let [gaps (dec (count words))]
    (if (zero? gaps)
      (first words)
      (let [room  (- width (line-width words))
            each  (quot room gaps)
            extra (rem room gaps)
            gap   (fn [i] (spaces (+ 1 each (if (< i extra) 1 0))))]
        (apply str (first words)
               (mapcat (fn [i word] [(gap i) word]) (range) (rest words)))))))

(defn format-paragraph [width paragraph]
  (let [lines (wrap width (words-of paragraph))]
    (conj (mapv #(justify width %) (butlast lines))
          (str/join " " (last lines)))))

;; Least sum of squared room over all lines but the last, by the best cost of each tail.
(defn least-raggedness [width paragraph]
  (let [words (words-of paragraph)
        n     (count words)]
    (loop [start (dec n), costs {n 0}]
      (if (neg? start)
        (costs 0)
        (recur (dec start)
               (assoc costs start
                      (loop [end start, used -1, best nil]
                        (let [used (if (< end n) (+ used 1 (count (words end))) used)]
                          (if (or (= end n) (> used width))
                            best
                            (let [end  (inc end)
                                  room (- width used)
                                  cost (if (= end n) 0 (+ (* room room) (costs end)))]
                              (recur end used (if best (min best cost) cost))))))))))))

(defn hash-text [h text]
  (reduce (fn [h c] (mod (+ (* h 31) (int c)) 1000000007)) h text))

(defn mix [h x]
  (mod (+ (* h 31) x) 1000000007))

(reduce (fn [h width]
          (let [lines (mapcat #(format-paragraph width %) data/paragraphs)
                costs (map #(least-raggedness width %) data/paragraphs)]
            (reduce mix
                    (reduce hash-text h (take-nth 10 lines))
                    (concat (map count lines) costs))))
        7
        data/widths)
