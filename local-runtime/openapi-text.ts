/** What holds for all routes, in CommonMark. */
export const API_DESCRIPTION = `\
Turns "make or edit this image" into verified image files. Bodies are JSON in UTF-8 with \`snake_case\` names, where
an operation takes no form; times are Unix seconds unless a name ends in \`_ms\`.

- **Requests are closed**: an unknown field or query parameter is an error that names it, and all violations of a request
  are reported together in \`details.issues\`. \`null\` for an optional field of a body means the same as leaving it out;
  so does an empty query value.
- **Every answer** carries \`x-request-id\`; a request id of yours is kept when it matches \`^[A-Za-z0-9._-]{1,128}$\`.
  A \`traceparent\` (W3C, version 00) is continued.
- **Errors** never use a successful status and always have the shape \`ErrorReply\`. \`x-should-retry\` says whether the
  same request may be sent again. A path that does not exist answers 404, a method that a path does not have 405 with
  \`Allow\`.
- **HEAD** answers wherever GET does.
- **Lists** take \`limit\` and \`cursor\` and answer \`{items, next_cursor?}\`.
- Version 1 evolves by additions only.
`;

/** What the routes under a tag have in common. */
export const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Health: 'Whether the bridge lives and would take work. Public.',
  Images: 'Making and editing images while the client waits.',
  Jobs: 'Work that outlives the client, and its history.',
  Presets: 'Named templates of requests.',
  Providers: 'Who draws, and what each model can do.',
  Artifacts: 'The files of verified images, each seen by the token that made it.',
  Sessions: 'The threads that a provider remembers under a key.',
  OpenAI: "The routes that OpenAI's clients know.",
  Diagnostics: 'What the bridge is doing, without content.',
  Metrics: 'The same in numbers, for Prometheus.',
  Dashboard: 'The page for people.',
  Contract: 'This document.',
};
