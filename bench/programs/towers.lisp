;; files: towers.json
;; Towers of Hanoi: recursive moves of disks between three piles, each move checked.
(defn push-disk [{:keys [piles] :as game} disk pile]
  (let [top (peek (piles pile))]
    (if (and top (>= disk top))
      (assoc game :error [disk top])
      (assoc game :piles (update piles pile conj disk)))))

(defn move-top [{:keys [piles] :as game} from to]
  (-> game
      (assoc :piles (update piles from pop))
      (push-disk (peek (piles from)) to)
      (update :moves inc)))

(defn move-disks [game n from to]
  (if (= n 1)
    (move-top game from to)
    (let [other (- 3 from to)]
      (-> game
          (move-disks (dec n) from other)
          (move-top from to)
          (move-disks (dec n) other to)))))

(let [start {:piles [(vec (range (dec data/disks) -1 -1)) [] []] :moves 0 :error nil}
      {:keys [piles moves error]} (move-disks start data/disks 0 1)]
  (if error
    -1
    (+ (* 100 moves) (count (piles 1)))))
