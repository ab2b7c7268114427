/** Returns the parts of a form: name and text, or name, file name, type and content. */
export async function formOf(contentType: string | undefined, body: Buffer): Promise<string[][]> {
  const headers = { 'content-type': contentType ?? '' };
  const form = await new Response(new Uint8Array(body), { headers }).formData();
  return Promise.all(
    [...form].map(async ([name, value]) =>
      typeof value === 'string'
        ? [name, value]
        : [name, value.name, value.type, await value.text()],
    ),
  );
}
