;; files: json_text.json
;; A JSON reader and writer written in the language itself: character tests, recursive descent, strings put together.
(def digits "0123456789abcdef")

(defn skip-space [s i]
  (case (get s i)
    (\space \newline \tab \return) (recur s (inc i))
    i))

(declare parse-value)

(defn parse-escape [s i]
  (case (get s i)
    \n ["\n" (inc i)]
    \t ["\t" (inc i)]
    \r ["\r" (inc i)]
    \b ["\b" (inc i)]
    \f ["\f" (inc i)]
    \u (let [code (reduce (fn [n c] (+ (* 16 n) (str/index-of digits (str c))))
                          0
                          (str/lower-case (subs s (inc i) (+ i 5))))]
         [(str (char code)) (+ i 5)])
    [(str (get s i)) (inc i)]))

;; Every parse function takes the text and a position, and answers [value position-after].
(defn parse-string [s start]
  (loop [i (inc start), from (inc start), parts []]
    (case (get s i)
      \" [(apply str (conj parts (subs s from i))) (inc i)]
      \\ (let [[text j] (parse-escape s (inc i))]
           (recur j j (conj parts (subs s from i) text)))
      (recur (inc i) from parts))))

(defn parse-number [s start]
  (loop [i start, whole true]
    (case (get s i)
      (\0 \1 \2 \3 \4 \5 \6 \7 \8 \9 \-) (recur (inc i) whole)
      (\. \e \E \+) (recur (inc i) false)
      (let [text (subs s start i)]
        [(if whole (parse-long text) (parse-double text)) i]))))

(defn parse-array [s start]
  (loop [i (skip-space s (inc start)), items []]
    (if (= \] (get s i))
      [items (inc i)]
      (let [[item i] (parse-value s i)
            i        (skip-space s i)
            items    (conj items item)]
        (if (= \, (get s i))
          (recur (skip-space s (inc i)) items)
          (recur i items))))))

(defn parse-object [s start]
  (loop [i (skip-space s (inc start)), fields {}]
    (if (= \} (get s i))
      [fields (inc i)]
      (let [[k i]  (parse-string s i)
            [v i]  (parse-value s (inc (skip-space s i)))
            i      (skip-space s i)
            fields (assoc fields k v)]
        (if (= \, (get s i))
          (recur (skip-space s (inc i)) fields)
          (recur i fields))))))

(defn parse-value [s start]
  (let [i (skip-space s start)]
    (case (get s i)
      \{ (parse-object s i)
      \[ (parse-array s i)
      \" (parse-string s i)
      \t [true (+ i 4)]
      \f [false (+ i 5)]
      \n [nil (+ i 4)]
      (parse-number s i))))

(defn write-string [s]
  (str \" (str/escape s {\" "\\\"", \\ "\\\\", \newline "\\n", \tab "\\t"}) \"))

(defn write-value [v]
  (cond
    (nil? v)    "null"
    (string? v) (write-string v)
    (map? v)    (str "{"
                     (str/join "," (map (fn [[k v]] (str (write-string k) ":" (write-value v)))
                                        (sort-by key v)))
                     "}")
    (vector? v) (str "[" (str/join "," (map write-value v)) "]")
    :else       (str v)))

(defn count-values [v]
  (cond
    (map? v)    (reduce + 1 (map count-values (vals v)))
    (vector? v) (reduce + 1 (map count-values v))
    :else       1))

(loop [text data/text, round 0, values 0]
  (if (< round data/rounds)
    (let [[value _] (parse-value text 0)]
      (recur (write-value value) (inc round) (+ values (count-values value))))
    (reduce (fn [h c] (mod (+ (* h 31) (int c)) 1000000007)) values text)))
