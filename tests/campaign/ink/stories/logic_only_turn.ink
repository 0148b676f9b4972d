VAR coins = 3
- (top) Coins: {coins}.
+ {coins > 0} [Spend]
  ~ coins--
+ {coins == 0} [Leave]
  -> END
- -> top
