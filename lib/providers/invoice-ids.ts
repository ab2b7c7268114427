import type { ProviderContext } from './provider-port.ts';

const INVOICE_ID = /^[\x21-\x7e]{1,64}$/;

/** Reports the id under which a service bills a call, unless the id has another form. */
export function reportInvoiceId(
  { billedAs }: Pick<ProviderContext, 'billedAs'>,
  id: string | undefined,
): void {
  if (id !== undefined && INVOICE_ID.test(id)) billedAs(id);
}
