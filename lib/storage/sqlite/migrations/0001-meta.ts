/** What the database knows of itself: one row a fact. */
export const META = `
CREATE TABLE meta (
  name TEXT NOT NULL PRIMARY KEY,
  value BLOB NOT NULL
) STRICT;
`;
