/** What holds for all routes, in CommonMark. */
export const API_DESCRIPTION = `\
Turns "make or edit this image" into verified image files. Bodies are JSON in UTF-8 with \`snake_case\` names,
except for operations that take a form. Times are Unix seconds unless a name ends in \`_ms\`.

- **Requests are closed**: an unknown field or query parameter is an error that names it, and all violations of a request
  are reported together in \`details.issues\`. \`null\` for an optional field of a body means the same as leaving it out.
  So does an empty query value.
- **Every reply** has an \`x-request-id\`. The one of your request is kept when it matches \`^[A-Za-z0-9._-]{1,128}$\`.
  A \`traceparent\` (W3C, version 00) is continued.
- **Errors** never use a successful status and always have the shape \`ErrorReply\`. \`x-should-retry\` says whether the
  same request may be sent again. An unknown path is 404, an unsupported method of a known path is 405 with
  \`Allow\`.
- **HEAD** is supported wherever GET is.
- **Lists** take \`limit\` and \`cursor\` and return \`{items, next_cursor?}\`.
- Version 1 evolves by additions only.
`;

/** What the routes under a tag have in common. */
export const TAG_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Health: 'Whether the process runs and accepts work. Public.',
  Images: 'Generating and editing images while the client waits.',
  Jobs: 'Work that outlives the client, and its history.',
  Presets: 'Named templates of requests.',
  Providers: 'The providers of images, and what each model supports.',
  Artifacts: 'The files of verified images, each visible to the token that created it.',
  Sessions: 'The threads that a provider keeps under a key.',
  Usage: 'What the token of the caller may do, and what it has used.',
  OpenAI: 'Routes that are compatible with the OpenAI API.',
  Diagnostics: 'What the bridge is doing, without content.',
  Metrics: 'The same in numbers, for Prometheus.',
  Dashboard: 'The page for people.',
  MCP: 'The tools for agents: the Model Context Protocol over HTTP.',
  Contract: 'This document.',
};
