;; files: nbody.json
;; N-body: double-precision symplectic integration of the Sun and four planets held as maps in a vector.
(def solar-mass (* 4 3.141592653589793 3.141592653589793))

(defn momentum [bodies axis]
  (reduce + (map (fn [body] (* (axis body) (:mass body))) bodies)))

(defn offset-momentum [bodies]
  (update bodies 0 assoc
          :vx (- (/ (momentum bodies :vx) solar-mass))
          :vy (- (/ (momentum bodies :vy) solar-mass))
          :vz (- (/ (momentum bodies :vz) solar-mass))))

(defn push [{:keys [vx vy vz] :as body} dx dy dz weight]
  (assoc body
         :vx (+ vx (* dx weight))
         :vy (+ vy (* dy weight))
         :vz (+ vz (* dz weight))))

(defn attract [dt bodies [i j]]
  (let [a   (bodies i)
        b   (bodies j)
        dx  (- (:x a) (:x b))
        dy  (- (:y a) (:y b))
        dz  (- (:z a) (:z b))
        d2  (+ (* dx dx) (* dy dy) (* dz dz))
        mag (/ dt (* d2 (Math/sqrt d2)))]
    (assoc bodies
           i (push a dx dy dz (- (* (:mass b) mag)))
           j (push b dx dy dz (* (:mass a) mag)))))

(defn drift [dt {:keys [x y z vx vy vz] :as body}]
  (assoc body
         :x (+ x (* dt vx))
         :y (+ y (* dt vy))
         :z (+ z (* dt vz))))

(defn pairs [n]
  (vec (for [i (range n), j (range (inc i) n)] [i j])))

(defn advance [dt pairs bodies]
  (mapv #(drift dt %) (reduce #(attract dt %1 %2) bodies pairs)))

(defn energy [bodies pairs]
  (let [kinetic   (for [{:keys [vx vy vz mass]} bodies]
                    (* 0.5 mass (+ (* vx vx) (* vy vy) (* vz vz))))
        potential (for [[i j] pairs]
                    (let [a  (bodies i)
                          b  (bodies j)
                          dx (- (:x a) (:x b))
                          dy (- (:y a) (:y b))
                          dz (- (:z a) (:z b))]
                      (/ (* (:mass a) (:mass b))
                         (Math/sqrt (+ (* dx dx) (* dy dy) (* dz dz))))))]
    (- (reduce + kinetic) (reduce + potential))))

(let [pairs  (pairs (count data/bodies))
      start  (offset-momentum data/bodies)
      finish (loop [bodies start, step 0]
               (if (< step data/n)
                 (recur (advance 0.01 pairs bodies) (inc step))
                 bodies))]
  (long (+ 0.5 (* -1e9 (energy finish pairs)))))
