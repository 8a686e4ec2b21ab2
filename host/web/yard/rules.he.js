// The settings of Scotland Yard, in Hebrew, by the names that the server has for them.

export const rules = {
  login_timeout: "חיבור שלא נכנס בזמן הזה נסגר; 0: אף פעם",
  password_pause: "אחרי סיסמה שגויה לא קוראים את החיבור זמן כזה",
  deserted: "משחק בלי שחקן מחובר זמן כזה מפנה מקום כשאין מקום לאחר",
  move_timeout: "אחרי המתנה כזאת השרת מחליט במקום השחקן; 0: אף פעם",
  bots: "שחקנים יכולים לבקש בוטים של השרת",
};
