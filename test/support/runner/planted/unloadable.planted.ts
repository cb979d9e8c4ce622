throw new Error('planted')
