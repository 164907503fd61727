;; files: bounce.json
;; Bounce: balls moving in a box, one map per ball, counting the bounces.
(def limit 500)

(defn next-random [seed]
  (mod (+ (* seed 1309) 13849) 65536))

(defn make-balls [n]
  (->> (iterate next-random 74755)
       rest
       (partition 4)
       (take n)
       (mapv (fn [[a b c d]]
               {:x  (mod a limit)
                :y  (mod b limit)
                :vx (- (mod c 300) 150)
                :vy (- (mod d 300) 150)}))))

;; Answers [position speed bounced?] along one axis.
(defn move [position speed]
  (let [position (+ position speed)]
    (cond
      (> position limit) [limit (- (abs speed)) true]
      (neg? position)    [0 (abs speed) true]
      :else              [position speed false])))

(defn step [{:keys [x y vx vy]}]
  (let [[x vx bounced-x] (move x vx)
        [y vy bounced-y] (move y vy)]
    {:x x :y y :vx vx :vy vy :bounced (or bounced-x bounced-y)}))

(loop [balls (make-balls data/balls), frame 0, bounces 0]
  (if (< frame data/frames)
    (let [balls (mapv step balls)]
      (recur balls (inc frame) (+ bounces (count (filter :bounced balls)))))
    bounces))
