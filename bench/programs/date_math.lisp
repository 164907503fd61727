;; files: date_math.json
;; Calendar arithmetic over ISO date texts by whole numbers: days between, working days, weeks, due dates, weekday histograms.
(defn parse-date [text]
  (mapv parse-long (str/split text #"-")))

(defn two-digits [n]
  (if (< n 10) (str "0" n) (str n)))

(defn format-date [[y m d]]
  (str y "-" (two-digits m) "-" (two-digits d)))

(defn leap-year? [y]
  (and (zero? (mod y 4))
       (or (pos? (mod y 100)) (zero? (mod y 400)))))

(defn days-in-month [y m]
  (case m
    2          (if (leap-year? y) 29 28)
    (4 6 9 11) 30
    31))

;; Days since 1970-01-01; years are counted from March so that the leap day comes last.
(defn day-number [[y m d]]
  (let [y   (if (< m 3) (dec y) y)
        era (quot y 400)
        yoe (rem y 400)
        doy (+ (quot (+ (* 153 (mod (+ m 9) 12)) 2) 5) (dec d))]
    (+ (* era 146097) (* 365 yoe) (quot yoe 4) (- (quot yoe 100)) doy -719468)))

(defn date-of [n]
  (let [z   (+ n 719468)
        era (quot z 146097)
        doe (rem z 146097)
        yoe (quot (- doe (quot doe 1460) (- (quot doe 36524)) (quot doe 146096)) 365)
        doy (- doe (+ (* 365 yoe) (quot yoe 4) (- (quot yoe 100))))
        mp  (quot (+ (* 5 doy) 2) 153)
        d   (inc (- doy (quot (+ (* 153 mp) 2) 5)))
        m   (if (< mp 10) (+ mp 3) (- mp 9))]
    [(+ yoe (* 400 era) (if (< m 3) 1 0)) m d]))

;; Monday is 0.
(defn weekday [n]
  (mod (+ n 3) 7))

(defn iso-week [n]
  (let [thursday (+ n (- 3 (weekday n)))
        [year]   (date-of thursday)]
    [year (inc (quot (- thursday (day-number [year 1 1])) 7))]))

(defn add-months [[y m d] months]
  (let [total (+ (* 12 y) (dec m) months)
        y     (quot total 12)
        m     (inc (rem total 12))]
    [y m (min d (days-in-month y m))]))

(defn working-days [from to]
  (let [days  (- to from)
        weeks (quot days 7)]
    (+ (* 5 weeks)
       (count (filter #(< (weekday %) 5) (range (+ from (* 7 weeks)) to))))))

(defn next-working-day [n]
  (if (< (weekday n) 5) n (recur (inc n))))

(defn study [{:keys [start end terms]}]
  (let [start-date (parse-date start)
        from       (day-number start-date)
        to         (day-number (parse-date end))]
    {:days    (- to from)
     :working (working-days from to)
     :weekday (weekday from)
     :week    (iso-week from)
     :due     (format-date (date-of (next-working-day (+ from terms))))
     :renewal (format-date (add-months start-date (rem terms 25)))}))

(defn mix [h x]
  (mod (+ (* h 31) x) 1000000007))

(let [studies (map study data/spans)
      total   (fn [k] (reduce + (map k studies)))]
  (as-> (mix (total :days) (total :working)) h
    (reduce (fn [h [day n]] (mix (mix h day) n))
            h (sort (frequencies (map :weekday studies))))
    (reduce (fn [h [[year week] n]] (mix (mix h (+ (* 100 year) week)) n))
            h (sort (frequencies (map :week studies))))
    (reduce (fn [h [date n]] (mix h (* n (day-number (parse-date date)))))
            h (sort (frequencies (mapcat (juxt :due :renewal) studies))))))
