/** Named templates, in one space for all callers; names compare by their bytes. */
export const PRESET = `
CREATE TABLE preset (
  name TEXT NOT NULL PRIMARY KEY,
  description TEXT,
  template TEXT NOT NULL,
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL
) STRICT;
`;
