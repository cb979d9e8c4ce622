// Sends the form of this page to the site that the person continues at. Without a script they press its
// button.

document.forms[0]?.submit()
