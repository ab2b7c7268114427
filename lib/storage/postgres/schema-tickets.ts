/** Returns the table of the tickets of accepted calls. */
export function ticketsSchema(schema: string): string {
  return `
-- The tickets of accepted calls. A row is deleted with its account. Only the provider reads the ticket, which is a secret.
CREATE TABLE ${schema}.ledger_ticket (
  ledger text COLLATE "C" NOT NULL REFERENCES ${schema}.ledger (id) ON DELETE CASCADE,
  call integer NOT NULL CHECK (call >= 0),
  model text NOT NULL,
  ticket text NOT NULL CHECK (octet_length(ticket) <= 2048),
  PRIMARY KEY (ledger, call)
);
`;
}
