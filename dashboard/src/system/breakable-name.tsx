import { Fragment } from 'preact';

/** The name of a setting, which breaks between its words. */
export function BreakableName({ name }: { readonly name: string }) {
  return (
    <>
      {name.split(/(?<=[._])/).map((part, index) => (
        <Fragment key={`${index}${part}`}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}
