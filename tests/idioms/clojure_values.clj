;; What Clojure 1.11 gives for rows of this folder: a line of JSON for each, {"id", "value"} or {"id", "error"}.
(require '[clojure.data.json :as json] '[clojure.string] '[clojure.set] '[clojure.walk] '[clojure.edn])
(defn data-ns! [context]
  (remove-ns 'data) (create-ns 'data)
  (doseq [[k v] context] (intern 'data (symbol k) (clojure.walk/keywordize-keys v))))
(defn run-row [{:strs [id src context]}]
  (data-ns! context)
  (let [n (gensym "row")
        f (future
            (binding [*ns* (create-ns n) *print-length* nil]
              (clojure.core/refer-clojure)
              (require '[clojure.string :as str] '[clojure.set :as set] '[clojure.walk :as walk] '[clojure.edn :as edn])
              (import '(java.time LocalDate LocalDateTime Duration Period YearMonth) '(java.time.temporal ChronoUnit) '(java.time.format DateTimeFormatter))
              (let [out (java.io.StringWriter.)
                    v (binding [*out* out] (let [v (load-string src)] (pr-str v)))]
                {:id id :value v})))
        r (try (deref f 10000 {:id id :error "timeout"})
               (catch Throwable t (let [c (loop [c t] (if (.getCause c) (recur (.getCause c)) c))]
                                    {:id id :error (str (class c) ": " (.getMessage c))})))]
    r))
(let [[in out] *command-line-args*]
  (with-open [w (clojure.java.io/writer out)]
    (doseq [line (remove clojure.string/blank? (clojure.string/split-lines (slurp in)))]
      (.write w (str (json/write-str (run-row (json/read-str line))) "\n"))))
  (System/exit 0))
