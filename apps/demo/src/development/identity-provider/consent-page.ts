/** Renders the form on which somebody says who they are; everything that the app requested is passed along. */
export function consentPage(provider: string, asked: URLSearchParams): string {
  const carried = [...asked].map(
    ([name, value]) => `<input type="hidden" name="${escape(name)}" value="${escape(value)}">`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in with ${escape(provider)} (development)</title>
<style>
  :root { color-scheme: light dark; font-family: system-ui, sans-serif; }
  body { max-width: 24rem; margin: 4rem auto; padding: 0 1rem; }
  label, input { display: block; width: 100%; box-sizing: border-box; font-size: 1rem; }
  input { margin: 0.25rem 0 1rem; padding: 0.5rem; }
  button { padding: 0.5rem 1rem; font-size: 1rem; }
</style>
<main>
  <h1>Sign in with ${escape(provider)}</h1>
  <p>This page stands in for ${escape(provider)} during development. Be whoever you like.</p>
  <form action="consent">
    ${carried.join('\n    ')}
    <label for="name">Name</label>
    <input id="name" name="name" value="Ada Lovelace" required autocomplete="off">
    <label for="email">E-mail</label>
    <input id="email" name="email" type="email" value="ada@example.com" required autocomplete="off">
    <button>Continue</button>
    <button name="deny" value="1" formnovalidate>Cancel</button>
  </form>
</main>
</html>
`;
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
