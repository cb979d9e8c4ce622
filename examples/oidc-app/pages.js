// The pages of the app. Every value from outside is escaped.

export function loggedOut(message = '') {
  return page(`${message && `<p role="status">${escaped(message)}</p>`}
<form method="post" action="/login"><button>Log in with your wallet</button></form>`)
}

export function loggedIn(claims) {
  const rows = Object.entries(claims).map(
    ([name, value]) => `<tr><th scope="row">${escaped(name)}</th><td>${escaped(shown(value))}</td></tr>`,
  )
  const { given_name, family_name, age_over_18 } = claims
  return page(`<p role="status">Welcome, ${escaped(`${given_name} ${family_name}`)}.
${age_over_18 === true ? 'You are over 18.' : 'We could not confirm your age.'}</p>
<table><caption>What arrived in the ID token</caption>${rows.join('\n')}</table>
<form method="post" action="/logout"><button>Log out</button></form>`)
}

function page(content) {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Wine club</title>
<style>body { font: 1rem/1.5 system-ui; margin: 1rem auto; max-width: 40rem; padding: 0 1rem }
th { text-align: left; vertical-align: top } td { overflow-wrap: anywhere }</style>
<main><h1>Wine club</h1>${content}</main>
</html>`
}

function shown(value) {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function escaped(text) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
